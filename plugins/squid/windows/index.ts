/** Chest windows and books that show without giving: nothing in them can be taken, and no click moves anything. */
export type { ShownBook } from './book.js'
export { openScreens, type Screens } from './screens.js'
export type { WindowEvents } from './windows.js'

export { Workbench, type WorkbenchOwner } from './workbench.js'
export { workbenchCardType, workbenchFeature } from './workbench-card.js'

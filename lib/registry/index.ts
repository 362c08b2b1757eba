export { readShippedData, type ShippedData } from './shipped.js'

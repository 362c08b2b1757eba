/** Names of items in the client's languages: read from language files, in the compute group. */
export { itemNamesIn, itemNameSteps, mergeNames, type ItemNames, type LanguageNames } from './item-names.js'
export { createNamesJobs, type NamesJob } from './language-files.js'
export { readLanguageFolder } from './language-folder.js'

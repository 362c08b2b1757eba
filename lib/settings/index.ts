export { changesOf, settingsPress, type SettingsPress } from './changes.js'
export { choiceCard, settingLine, settingsCard, SETTINGS_MODULE } from './settings-card.js'
export { settingsFeature } from './settings-module.js'

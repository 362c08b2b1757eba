export { settingsCard, settingsFeature, settingsPress, SETTINGS_MODULE } from './settings.js'

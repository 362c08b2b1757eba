export { changesOf, settingsPress, type SettingsPress } from './changes.js'
export {
  choiceCard,
  choiceCardType,
  settingLine,
  settingsCard,
  settingsCardType,
  SETTINGS_MODULE,
} from './settings-card.js'
export { settingsFeature } from './settings-module.js'

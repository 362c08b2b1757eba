export { freeChatFeature } from './free-chat.js'

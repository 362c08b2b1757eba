/** What players are told without having asked: their queues, and what plugins may put there. */
export { NoticeLimits } from './notice-limits.js'
export { readNotice, type Notice } from './notice.js'
export type { Notification } from './notification.js'
export { NotificationQueue, WAITING_LIMIT } from './notification-queue.js'
export { Notifications, type NotificationSwitches } from './notifications.js'

/** Sentences that ask for the inbox, by language. */
export const INBOX_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  en_us: [
    'inbox',
    'my inbox',
    'open my inbox',
    'open the inbox',
    'show my inbox',
    'show me my inbox',
    'check my inbox',
    'what is in my inbox',
    'what waits for me',
    'is there anything in my inbox',
    'do i have mail',
    'show my rewards',
    'what rewards are waiting for me',
  ],
  zh_cn: [
    '收件箱',
    '我的收件箱',
    '打开收件箱',
    '查看收件箱',
    '看看收件箱',
    '收件箱里有什么',
    '有什么可以领取的',
    '我有什么奖励没领',
    '查看未领取的奖励',
  ],
}

/** Sentences that ask for one's orders, by language. */
export const ORDERS_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  en_us: [
    'orders',
    'my orders',
    'show my orders',
    'show me my orders',
    'list my orders',
    'what did i buy',
    'what have i bought',
    'my purchases',
    'show my purchases',
    'order history',
  ],
  zh_cn: ['订单', '我的订单', '查看订单', '查看我的订单', '我买了什么', '我买过什么', '购买记录', '订单列表'],
}

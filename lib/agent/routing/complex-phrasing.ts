/** Why a sentence is left to a model. */
export type ComplexPhrasing =
  /** Longer than any plain wish. */
  | 'long'
  /** More than one wish, a choice or a comparison. */
  | 'several'
  | 'negation'
  | 'condition'
  /** Points at an earlier turn. */
  | 'reference'
  /** Tells the assistant to do something in the world. */
  | 'order'
  /** Asks about somebody other than the player who speaks. */
  | 'other-person'

/** UTF-16 units; the longest shipped example has less than half of it. */
const MAX_LENGTH = 160

// politeness that would else count as a second person or as a negation
const POLITE =
  /\b(?:can|could|would|will|do) (?:you|u)(?: please| kindly)? (?=tell|show|explain|give|list|look|check|find|know|help)|\bhow (?:do|can|could|would) (?:you|u|we) (?=make|craft|build|create)|\bwhat do (?:you|u) (?=need to (?:make|craft|build)\b)|\bcan (?:you|u) (?=(?:eat|stack)\b)|(?:你|您)(?=能|可以|可不可以|知道|帮|幫)|(?:请|請|麻烦|麻煩)(?:你|您)/g
// the assistant itself, asked what it can do
const ASSISTANT =
  /\bwhat (?:can|could|do) (?:you|u) (?=do\W*$)|\bwhat are (?:you|u) (?=able to do\W*$)|\bask (?:you|u)(?=\W*$)|\b(?:your|ur) (?=(?:commands?|features?|functions?|abilities|skills)\b)|(?:你|您)(?=[会會](?:做|干|些|点)?(?:什么|什麼|啥|哪些))|(?:你|您)(?=有(?:什么|什麼|啥|哪些)(?:功能|命令|指令|本事))|(?<=[问問])(?:你|您)(?=些?(?:什么|什麼|啥)|哪些)|\bthis (?=(?:system|assistant)\b)|(?:这|這)(?:个|個)?(?=系统|系統|助手)/g
// `是不是`, `有没有`: Chinese asks yes or no by saying both
const A_NOT_A = /(\p{Script=Han})[不没沒]\1|能否|是否|可否/gu

const PATTERNS: readonly (readonly [Exclude<ComplexPhrasing, 'long'>, RegExp])[] = [
  // a sentence after a sentence
  ['several', /[.?!;。?!;\n][^\p{L}\p{N}{]*[\p{L}\p{N}{]/u],
  [
    'several',
    /[&+]|\b(?:and|plus|then|also|both|or|versus|vs|compare[ds]?|differences?|between|than|as well|along with|besides|afterwards?)\b/,
  ],
  [
    'several',
    /和|跟|与|與|以及|(?:还有|還有)(?!多少|几|幾|什么|什麼)|并且|並且|而且|然后|然後|接着|接著|顺便|順便|同时|同時|另外|再|又|也|或|还是|還是|比|区别|區別/,
  ],
  [
    'negation',
    /\b(?:not|no|never|none|nothing|nobody|nowhere|without|except|instead|neither|nor|cannot|stop|avoid|ignore|forget|cancel|undo)\b|\b(?:do|does|did|is|are|was|were|ca|wo|would|could|should|have|has|had|must|need|ai)n[’']?t\b/,
  ],
  ['negation', /不|没|沒|别|別|无|無|未|非|勿|莫|除了|停止|取消/],
  [
    'condition',
    /\b(?:if|unless|until|till|while|when|whenever|once|after|before|because|otherwise|else|suppose|assuming|in case|as long as|so that)\b/,
  ],
  [
    'condition',
    /如果|要是|假如|假设|假設|倘若|若|除非|的话|的話|否则|否則|一旦|只要|当(?!前)|當(?!前)|之前|之后|之後|以后|以後|以前|等到|直到|因为|因為/,
  ],
  [
    'reference',
    /\b(?:it|its|that|thats|those|these|them|this|they|again|previous|previously|last|earlier|another|same|other|others|one|ones|more|continue|what about|how about)\b/,
  ],
  ['reference', /它|那|(?:这|這)(?!里|裡|儿|兒|是哪)|刚才|剛才|上次|上一|继续|繼續|同样|同樣|另一|其他|其它/],
  [
    'other-person',
    /\b(?:you|u|your|yours|youre|ur|he|hes|she|shes|his|her|hers|him|their|we|us|our|everyone|everybody|someone|somebody|anyone|anybody)\b/,
  ],
  [
    'order',
    /^\W*(?:(?:please|pls|plz|just|now|hey|system)\W+)*(?:eat|drink|place|put|use|equip|wear|drop|throw|repair|fix|mend|stack(?! size)|enchant|smelt|sell|buy|kill|heal|feed|teleport|tp|go|come|follow|set|turn|change|make me)\b/,
  ],
  [
    'order',
    /^(?:请|請|帮我|幫我|给我|給我|把|快)*(?:吃掉|吃了|喝掉|放下|放到|修好|修一下|扔|丢|丟|装备上|裝備上|穿上|卖|賣|买|買|杀|殺|打死|传送|傳送|切换|切換|改成)/,
  ],
  ['other-person', /[他她你妳您们們咱谁誰]|别人|別人|大家|对方|對方/],
]

/**
 * Names what makes a sentence more than one plain wish, or null. Such sentences are never routed locally. English
 * and Chinese word lists over folded text with the item masked; it errs on the side of `complex`, which only costs
 * a model call.
 */
export function complexPhrasing(folded: string): ComplexPhrasing | null {
  if (folded.length > MAX_LENGTH) return 'long'
  const plain = folded.replace(POLITE, ' ').replace(ASSISTANT, ' ').replace(A_NOT_A, '$1')
  return PATTERNS.find(([, pattern]) => pattern.test(plain))?.[0] ?? null
}

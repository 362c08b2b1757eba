/** Texts as players, models and worlds write them, with what a reader must see: the same, made inert. */
export const HOSTILE_TEXTS: readonly (readonly [given: string, shown: string])[] = [
  ['{"text":"x","clickEvent":{"action":"run_command","value":"/op Mallory"}}', ''],
  ["<click:run_command:'/pay Mallory 9999'>Claim</click>", ''],
  ['[Claim](/pay Mallory 9999)', ''],
  ['§kmagic §c§lred§r', 'magic red'],
  ['&c&lno colour &k', ''],
  ['@a @e[type=player] @p', ''],
  ['${process.env.KEY} {apiKey} {balance:Alice} %otherplayer_ip%', ''],
  ["$& $1 $` $' \\1", ''],
  ['%s %1$s %% 100%', ''],
  ['\u202egnp.exe\u202c \u2066x\u2069', 'gnp.exe x'],
  ['half \ud83d and \ude00 half', 'half \ufffd and \ufffd half'],
  ['bell \u0007 null \u0000 esc \u001b[31m', 'bell  null  esc [31m'],
  ['钻石剑 ダイヤ 한국어', ''],
  ['emoji 😀 👩‍🚀 𠀀', ''],
].map(([given = '', shown]) => [given, shown || given] as const)

import { randomBytes, randomUUID } from 'node:crypto'

declare const brand: unique symbol
type Branded<T, B extends string> = T & { readonly [brand]: B }

/** A player's UUID, lower case with dashes. */
export type PlayerId = Branded<string, 'PlayerId'>
/** `namespace:path` by vanilla's rules: lower case `[a-z0-9_.-]`, `/` in the path too; at most 256 characters. */
export type Identifier = Branded<string, 'Identifier'>
/** A request's UUID. */
export type RequestId = Branded<string, 'RequestId'>

const IDENTIFIER = /^[a-z0-9_.-]+:[a-z0-9_./-]+$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether the text is a well-formed identifier. */
export const isIdentifier = (text: string): text is Identifier => text.length <= 256 && IDENTIFIER.test(text)
/** Whether the text is a UUID in the form that file names use. */
export const isUuid = (text: string): text is PlayerId & RequestId => UUID.test(text)

/** An identifier written in our own code; a wrong one is a programming error and throws a TypeError. */
export function identifier(text: string): Identifier {
  if (!isIdentifier(text)) throw new TypeError(`not an identifier: ${text}`)
  return text
}

/** A player id from the host's uuid text; a wrong one is a programming error and throws a TypeError. */
export function playerId(text: string): PlayerId {
  const folded = text.toLowerCase()
  if (!isUuid(folded)) throw new TypeError('not a player uuid')
  return folded
}

/** Where ids come from; tests give a counting one. */
export interface IdSource {
  requestId(): RequestId
  /** 128 random bits, 22 characters of base64url: what a button's token consists of. */
  token(): string
}

/** Ids from the system's cryptographic randomness. */
export const randomIds: IdSource = {
  requestId: () => randomUUID() as RequestId,
  token: () => randomBytes(16).toString('base64url'),
}

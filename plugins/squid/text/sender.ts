import type { Component } from '../../../lib/text/index.js'
import type { SquidClient } from '../types.js'
import { CHAT_BUDGET_BYTES, encodeComponent } from './encode.js'
import type { TextEra } from './era.js'

/** Writes one packet: the shield's safe write, whose result is passed on. */
export type PacketWriter<R> = (client: SquidClient, name: string, params: unknown) => R

/** Sends components to one client at a time. */
export interface TextSender<R> {
  /** A system message in the chat. */
  system(client: SquidClient, component: Component): R
  /** The line above the hotbar; a later one replaces it. */
  actionBar(client: SquidClient, component: Component): R
}

/** The line above the hotbar holds a screen's width. */
const ACTION_BAR_BUDGET_BYTES = 2_048
const NOBODY = '00000000-0000-0000-0000-000000000000'
/** The position byte of the chat packet before 1.19. */
const SYSTEM = 1
const ABOVE_HOTBAR = 2

/** The sender for the server's era. */
export function textSender<R>(era: TextEra, write: PacketWriter<R>): TextSender<R> {
  const send = (client: SquidClient, component: Component, isActionBar: boolean): R => {
    const content = encodeComponent(component, era, isActionBar ? ACTION_BAR_BUDGET_BYTES : CHAT_BUDGET_BYTES)
    if (era.systemChat) return write(client, 'system_chat', { content, isActionBar })
    const position = isActionBar ? ABOVE_HOTBAR : SYSTEM
    return write(client, 'chat', { message: content, position, sender: NOBODY })
  }
  return {
    system: (client, component) => send(client, component, false),
    actionBar: (client, component) => send(client, component, true),
  }
}

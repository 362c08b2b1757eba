/** Ports: what a game server must offer the runtime. Types only; plugins/squid implements them. */
export type { Host, PlayerFacts, HeldItem, PlayerLives, GameScheduler, GameWork } from './ports.js'

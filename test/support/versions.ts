/** The versions that every test that touches packets or game data runs on. */
export const VERSIONS = ['1.16.5', '1.20.1', '1.20.4', '1.21.1', '1.21.4'] as const
export const DEFAULT_VERSION = '1.21.4'

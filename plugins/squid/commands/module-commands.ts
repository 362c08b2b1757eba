import type { Registry } from '../../../lib/agent/index.js'
import type { ModuleCommand } from '../../../lib/command/index.js'

/** The commands that modules have declared. */
export const moduleCommands = (registry: Pick<Registry, 'modules'>): readonly ModuleCommand[] =>
  registry
    .modules()
    .flatMap(({ id, routing, help }) =>
      routing.command === undefined ? [] : [{ module: id, command: routing.command, help }],
    )

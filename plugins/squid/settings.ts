import { z } from 'zod'
import { CONFIG_SCHEMAS } from '../../lib/config/index.js'
import { isIdentifier } from '../../lib/core/ids.js'

/** The plugin's settings in flying-squid's `plugins` section, or as given to `serv.addPlugin`. */
export const pluginSettingsSchema = z
  .object({
    /** Folder of the configuration files; those that are missing are written at the first start. */
    configFolder: z.string().min(1).default('config/system'),
    /** Folder of everything that is kept; default: the world's, and without a world one beside the configuration. */
    dataFolder: z.string().min(1).optional(),
    /** Data packs beside those of the world, folders or `.zip`, relative to the working folder; a later one overrides. */
    packs: z.array(z.string().min(1)).max(64).default([]),
    /** Folder of vanilla language files (`zh_cn.json`, …), whose item names players may use; absent: English ones. */
    languageFolder: z.string().min(1).max(4_096).optional(),
    /** Granted to every player who joins without a System; null: admins grant. */
    autoGrant: z
      .string()
      .refine(isIdentifier, 'must be an id such as system:default')
      .nullable()
      .default(null),
    /** Makes a registration error of another plugin stop the System. */
    strict: z.boolean().default(false),
    /** Partial contents of configuration files by name without `.json`; they lie over the files. */
    config: z
      .partialRecord(z.enum(Object.keys(CONFIG_SCHEMAS) as [keyof typeof CONFIG_SCHEMAS]), z.unknown())
      .default({}),
  })
  .loose()
export type PluginSettings = z.infer<typeof pluginSettingsSchema>

/** What we read of flying-squid's own settings. */
export const serverSettingsSchema = z
  .object({
    'online-mode': z.boolean().catch(true),
    /** Null: the server keeps no world, and no players. */
    worldFolder: z.string().min(1).nullable().catch(null),
    /** Everybody is an operator: then being one says nothing. */
    'everybody-op': z.boolean().catch(false),
  })
  .loose()
export type ServerSettings = z.infer<typeof serverSettingsSchema>

/**
 * A flying-squid plugin that teaches the System about the weather: a look-up that models may use too, a command, sentences
 * that are understood without a model, and a card. It stands beside the System in flying-squid's settings, in any order.
 */
import type { EventEmitter } from 'node:events'
import { FAST_POLICY, failedResult, identifier, shown } from 'flying-squid-system'
import type { AgentModule, CardType, Registration, ToolType } from 'flying-squid-system'
import { z } from 'zod'

const noInput = z.strictObject({})
const weather = z.strictObject({ sky: z.enum(['clear', 'rain']), time: z.int().describe('ticks of the day') })
type NoInput = z.infer<typeof noInput>
type Weather = z.infer<typeof weather>

/** 1. The tool: what goes in, what comes out, how it runs. `reasoning` offers it to models. */
export const weatherNow: ToolType<NoInput, Weather> = {
  id: 'weather:now',
  input: noInput,
  output: weather,
  kind: 'game', // runs on the server's tick: synchronous, 2 ms at most
  write: false,
  reasoning: 'Tells the weather now and the time of day in ticks (0 sunrise, 13000 night). Takes no input.',
  label: { key: 'weather.tool' }, // what players read while it is looked up
}

/** 2. The card: data in, lines and buttons out. Sentences are keys, so everybody reads their own language. */
const weatherCard: CardType<Weather> = {
  id: identifier('weather:report'),
  schema: weather,
  build: ({ sky, time }) => ({
    title: { key: 'weather.title' },
    lines: [
      { kind: 'row', label: { key: 'weather.sky' }, value: { key: `weather.${sky}` } },
      { kind: 'row', label: { key: 'weather.time' }, value: String(time) },
    ],
    buttons: [
      { label: { key: 'weather.again' }, action: { kind: 'server', module: weatherReport.id, params: {} } },
    ],
  }),
  memoryFact: ({ sky }) => `Showed the weather: ${sky}.`, // English: what a later model call may know
}

/** 3. The module: its command, the sentences that mean it, and what it does. */
const weatherReport: AgentModule<NoInput> = {
  id: identifier('weather:report'),
  version: 1,
  action: noInput,
  description: 'Tells the player the weather on this server.', // English: models choose by it
  help: { key: 'weather.help' },
  workbench: { icon: identifier('minecraft:sunflower'), title: { key: 'weather.title' } }, // its page in `/system`
  tools: [weatherNow.id], // it may call these and no others
  policy: FAST_POLICY, // no model, a few look-ups, 14.5 s
  routing: {
    selection: 'NORMAL',
    command: { name: 'weather' }, // `/system weather`
    examples: {
      en_us: ['how is the weather', 'what is the weather like', 'will there be rain', 'weather report'],
      zh_cn: ['天气怎么样', '现在天气如何', '下雨了吗', '天气预报'],
    },
    extract: () => ({}), // there is nothing to find in such a sentence
  },
  async execute(context) {
    const now = await context.tool(weatherNow, {}) // expected failures are values
    return now.ok ? shown({ type: weatherCard.id, data: now.value }) : failedResult(now.failure)
  },
}

const ENGLISH = {
  'weather.help': 'Tell the weather',
  'weather.tool': 'the weather',
  'weather.title': 'Weather',
  'weather.sky': 'Sky',
  'weather.clear': 'clear',
  'weather.rain': 'rain',
  'weather.time': 'Time of day',
  'weather.again': 'Look again',
}
const CHINESE = {
  'weather.help': '查看天气',
  'weather.tool': '天气',
  'weather.title': '天气',
  'weather.sky': '天空',
  'weather.clear': '晴',
  'weather.rain': '雨',
  'weather.time': '时间',
  'weather.again': '再看一次',
}

/** flying-squid calls this when it loads the plugin; 'system:register' comes once, when all plugins are loaded. */
export function server(serv: EventEmitter & { readonly time?: number }): void {
  let sky: Weather['sky'] = 'clear'
  // flying-squid tells clients of rain but remembers nothing: whoever changes the weather says so
  serv.on('weather', (next: Weather['sky']) => (sky = next))
  serv.on('system:register', (registration: Registration) => {
    registration.extension('weather') // its name in the log and in `/system status`
    registration.texts('en_us', ENGLISH)
    registration.texts('zh_cn', CHINESE)
    registration.cardType(weatherCard)
    registration.tool({
      type: weatherNow,
      owner: identifier('weather:plugin'),
      handler: () => ({ sky, time: serv.time ?? 0 }),
    })
    registration.module(weatherReport) // after the tools that it names
  })
}

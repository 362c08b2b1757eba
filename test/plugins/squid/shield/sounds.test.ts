import t from 'tap'
import type { SquidPlayer, SquidServer } from '../../../../plugins/squid/types.js'
import { VERSIONS, bootSquid, joinRaw, type RawClient } from '../../../support/squid.js'
import { bootShielded, isServed, playerOf } from './support.js'

interface SoundServer {
  playSound(name: string, world: unknown, position: unknown, options?: unknown): void
  playSoundId(id: number, world: unknown, position: unknown, options?: unknown): void
  readonly registry: {
    readonly soundsByName: Readonly<Record<string, { readonly id: number } | undefined>>
  }
}
interface SoundPlayer {
  playSound(name: string, options?: unknown): void
  playSoundId(id: number, options?: unknown): void
  playSoundAtSelf(name: string): void
}

const SOUNDS = 40
const POP = 'entity.item.pickup'

const inside = (serv: SquidServer): SoundServer => serv as unknown as SoundServer
const maker = (player: SquidPlayer): SoundPlayer => player as unknown as SoundPlayer
const at = (player: SquidPlayer, dx: number): unknown =>
  (player.position as unknown as { offset(x: number, y: number, z: number): unknown }).offset(dx, 1.25, -2)

/** Name, place in blocks, volume and pitch of what was heard. */
function heard({ received }: RawClient): string[] {
  return received.flatMap(({ name, data }) => {
    if (!/sound/.test(name)) return []
    const { sound, soundName, x, y, z, volume, pitch, soundCategory } = data as Record<string, number> & {
      sound?: { data?: { soundName: string } }
    }
    const place = [x, y, z].map((eighths) => (eighths ?? NaN) / 8).join(',')
    return [
      `${sound?.data?.soundName ?? soundName} ${place} ${volume} ${pitch?.toFixed(2)} ${String(soundCategory)}`,
    ]
  })
}

const expected = (
  { x, y, z }: { x: number; y: number; z: number },
  { name = POP, volume = 1, pitch = '1.00', category = '' } = {},
): string =>
  `${name} ${[x, y, z].map((blocks) => Math.round(blocks * 8) / 8).join(',')} ${volume} ${pitch} ${category}`

for (const version of VERSIONS) {
  const [master, block] = version === '1.16.5' ? ['0', '4'] : ['master', 'block']

  void t.test(`${version}: of stock's sounds none is heard where it is`, async (t) => {
    const { serv, port } = await bootSquid(t, version)
    const alice = await joinRaw(t, port, version, 'alice')
    const player = playerOf(serv, 'alice')
    player.position.x += 100
    for (let n = 0; n < SOUNDS; n += 1) inside(serv).playSound(POP, player.world, player.position)
    await isServed(alice)
    t.notOk(heard(alice).includes(expected(player.position, { category: master })))
  })

  void t.test(`${version}: with the repair`, async (t) => {
    const { serv, port, errors, log } = await bootShielded(t, version, { only: ['sounds'] })
    const alice = await joinRaw(t, port, version, 'alice')
    const bob = await joinRaw(t, port, version, 'bob')
    const player = playerOf(serv, 'alice')
    const come = async (): Promise<string[]> => {
      await isServed(alice)
      await isServed(bob)
      const all = heard(alice)
      alice.received.length = 0
      return all
    }
    await come()
    // the host lets players begin at places of chance, some of them out of hearing
    const { x, y, z } = player.position
    Object.assign(playerOf(serv, 'bob').position, { x, y, z })
    const options = { volume: 0.5, pitch: 0.8, soundCategory: 4, blacklist: [playerOf(serv, 'bob')] }
    for (let n = 0; n < SOUNDS; n += 1) inside(serv).playSound(POP, player.world, at(player, n), options)
    const rows = Array.from({ length: 33 }, (_, n) => at(player, n) as { x: number; y: number; z: number })
    const near = rows.filter(({ x, y, z }) => {
      const { position } = player
      return Math.hypot(x - position.x, y - position.y, z - position.z) <= 32
    })
    t.strictSame(
      await come(),
      near.map((place) => expected(place, { volume: 0.5, pitch: '0.80', category: block })),
    )
    t.strictSame(heard(bob), [], 'bob is left out')

    const id = inside(serv).registry.soundsByName[POP]?.id ?? -1
    maker(player).playSound(POP)
    maker(player).playSoundId(id, { pitch: 9 })
    maker(player).playSoundAtSelf(`minecraft:${POP}`)
    t.strictSame(await come(), [
      expected(player.position, { category: master }),
      expected(player.position, { pitch: '2.00', category: master }),
      expected(player.position, { name: `minecraft:${POP}`, category: master }),
    ])
    t.strictSame(heard(bob), [expected(player.position, { name: `minecraft:${POP}`, category: master })])

    for (const name of ['No Such Sound', '', 'a:b:c', 'x'.repeat(300)])
      inside(serv).playSound(name, player.world, player.position)
    inside(serv).playSoundId(999_999, player.world, player.position)
    inside(serv).playSound(POP, player.world, null)
    t.strictSame(await come(), [])
    inside(serv).playSound(POP, player.world, player.position, {
      volume: Infinity,
      pitch: NaN,
      soundCategory: 77,
    })
    t.strictSame(await come(), [expected(player.position, { category: master })])
    t.strictSame([errors, log.lines, alice.clientErrors, bob.clientErrors], [[], [], [], []])
  })
}

void t.test('what others put on top stays when the repair goes', async (t) => {
  const { serv, port, shield } = await bootShielded(t, '1.21.4', { only: ['sounds'] })
  const alice = await joinRaw(t, port, '1.21.4', 'alice')
  const player = playerOf(serv, 'alice')
  const ours = inside(serv).playSound
  const played: string[] = []
  inside(serv).playSound = (name, ...rest) => {
    played.push(name)
    Reflect.apply(ours, serv, [name, ...rest])
  }
  maker(player).playSound(POP)
  await isServed(alice)
  t.equal(heard(alice).length, 1)
  shield.close()
  maker(player).playSound('a:b', { whitelist: [] })
  t.strictSame(played, [POP, 'a:b'])
})

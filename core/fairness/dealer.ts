/** Shuffle sharding: each flow gets a hand of queues (apiserver/pkg/util/shufflesharding). */
import { sha256 } from './sha256.ts'

/** Hash of a flow: the first eight bytes of a digest, the lowest first. */
export function flowHash(schema: string, distinguisher: string): bigint {
  const [first = 0, second = 0] = sha256(`${schema}\0${distinguisher}`)
  const view = new DataView(new ArrayBuffer(8))
  view.setUint32(0, first)
  view.setUint32(4, second)
  return view.getBigUint64(0, true)
}

/** Deals a hand of different cards from a deck, by a 64-bit hash. Cards are numbers from 0. */
export function deal(hash: bigint, deckSize: number, handSize: number): number[] {
  const hand: number[] = []
  let rest = hash
  const remainders = Array.from({ length: handSize }, (_, dealt) => {
    const left = BigInt(deckSize - dealt)
    const remainder = Number(rest % left)
    rest /= left
    return remainder
  })
  for (const [dealt, remainder] of remainders.entries()) {
    let card = remainder
    for (let before = dealt; before > 0; before--) if (card >= remainders[before - 1]!) card++
    hand.push(card)
  }
  return hand
}

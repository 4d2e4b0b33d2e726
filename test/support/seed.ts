/**
 * Seed of random tests: the same in every run of `npm test`, so that no result depends on luck; another one in each soak
 * run (`npm run test:soak`). `APISERVER_SEED=… npm test` sets one, or repeats a soak run; `test/run.mjs` prints it.
 */
import { soak } from './soak.ts'

const given = process.env['APISERVER_SEED'] ?? (soak ? String(Date.now() & 0x7fffffff) : '0')

/** A 32-bit integer. */
export const seed = Number(given) | 0
if (!/^-?\d+$/.test(given)) throw new Error(`APISERVER_SEED: not an integer: ${given}`)
if (soak && process.env['APISERVER_SEED'] === undefined) console.log(`APISERVER_SEED=${seed}`)

/** The entry of the bundle that `bin.ts` loads. */
export { answerItems } from './item-encoder.ts'
export { main } from './main.ts'

/** The entry of the bundle that `bin.ts` loads. */
export { main } from './main.ts'

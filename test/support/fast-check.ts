/** The package fast-check, by which all tests make random cases, with the seed of the run; a failure names it, and the path to the case. */
import fc from 'fast-check'
import { seed } from './seed.ts'

fc.configureGlobal({ seed })

export default fc

/**
 * fast-check configured with the seed of the run. All random tests import it from here; a failure prints the seed and
 * the path of the case.
 */
import fc from 'fast-check'
import { seed } from './seed.ts'

fc.configureGlobal({ seed })

export default fc

/** The store suite of `fetch-apiserver/testing/store`, with random histories from the seed of the run. */
import './fast-check.ts'

export { storeConformance } from '../../runtimes/testing/store/index.ts'

import { type RuntimeName, runtimeBinary } from '../../runtimes/locate.ts'

export { type RuntimeName, runtimeBinary } from '../../runtimes/locate.ts'

/** Value for the `skip` option of a test: false, or the reason. */
export const without = (name: RuntimeName): string | false => (runtimeBinary(name) === undefined ? `no ${name} on this machine` : false)

import { type RuntimeName, runtimeBinary } from '../../runtimes/locate.ts'

export { type RuntimeName, runtimeBinary } from '../../runtimes/locate.ts'

/** For the option `skip` of a test: false, or why it can't run. */
export const without = (name: RuntimeName): string | false => (runtimeBinary(name) === undefined ? `no ${name} on this machine` : false)

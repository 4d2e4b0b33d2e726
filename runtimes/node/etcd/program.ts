/**
 * The entry of the bundle that `bin.ts` loads for `apiserver etcd`: that command alone. In the bundle of the whole program it would read, and have V8 prepare,
 * eleven times as much code.
 */
import { type Main, runOrExplain } from '../start/command.ts'
import { exitStatus } from '../start/exit-status.ts'
import { withCommand } from '../start/programs.ts'
import { etcd } from './command.ts'

export const main: Main = (argv, program, serves = () => undefined) =>
  exitStatus(() => runOrExplain(etcd, withCommand(argv, program).slice(1), program, serves))

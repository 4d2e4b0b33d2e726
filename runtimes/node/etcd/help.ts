/** The text of `apiserver etcd --help`. */
import { flagsHelp } from '../start/command-flags.ts'
import { etcdFlags } from './flags.ts'

const about = `Usage:
  apiserver etcd [flags]
      Serve etcd's API on the embedded store: a cluster of one member. So does the program when it is started under the name etcd. Each flag may
      be an environment variable instead: ETCD_DATA_DIR for --data-dir.

`

export const etcdHelp = (): string => about + flagsHelp(etcdFlags)

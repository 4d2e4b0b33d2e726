/** The text of `apiserver etcd --help`. */
import type { Flag } from '../../../core/flags/flag.ts'
import { createPlatform } from '../../../core/platform.ts'
import { etcdFlags } from './flags.ts'

const about = `Usage:
  apiserver etcd [flags]
      Serve etcd's API on the embedded store: a cluster of one member. So does the program when it is started under the name etcd. Each flag may
      be an environment variable instead: ETCD_DATA_DIR for --data-dir.

`

export function etcdHelp(): string {
  const rows: { readonly [name: string]: Flag } = etcdFlags
  const context = { platform: createPlatform('kubernetes'), platformName: 'kubernetes', given: () => [] } as const
  const entries = Object.entries(rows).map(([name, { type, help, initial }]) => {
    const value = initial(context)
    const text = value === undefined || value === false || value === '' ? '' : type.show(value)
    const label = type.label === '' ? '' : ` ${type.label}`
    return `      --${name}${label}\n          ${help}${text === '' ? '' : ` (default ${text})`}\n`
  })
  return about + entries.join('')
}

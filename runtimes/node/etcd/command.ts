import type { Command } from '../start/command.ts'

/** `apiserver etcd`. */
export const etcd: Command = {
  synopses: [['etcd [flags]', "Serve etcd's API on the embedded store. So does the program when it is started under the name etcd."]],
  async help() {
    const { etcdHelp } = await import('./help.ts')
    return etcdHelp()
  },
  async run(argv, _program, serves) {
    const { runEtcd } = await import('./start.ts')
    return runEtcd(argv, serves)
  },
}

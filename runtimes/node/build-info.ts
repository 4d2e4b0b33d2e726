import type { BuildInfo } from '../../core/config/version.ts'

const runtimeName = ({ bun, deno, node }: NodeJS.ProcessVersions) => (bun ? `bun${bun}` : deno ? `deno${deno}` : `node${node}`)

/** Put in by the builds of the daemon and of the executable; absent when the sources run as they are. */
declare const buildStamp: Pick<BuildInfo, 'gitCommit' | 'gitTreeState' | 'buildDate'> | undefined

/** What this program knows about itself. */
export const buildInfo = (): BuildInfo => ({
  ...(typeof buildStamp === 'undefined' ? {} : buildStamp),
  runtime: runtimeName(process.versions),
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
})

import type { BuildInfo } from '../../core/config/version.ts'

const runtimeName = ({ bun, deno, node }: NodeJS.ProcessVersions) => (bun ? `bun${bun}` : deno ? `deno${deno}` : `node${node}`)

/** Defined by the builds of the daemon and of the executable; undefined when the sources run directly. */
declare const buildStamp: Pick<BuildInfo, 'gitCommit' | 'gitTreeState' | 'buildDate'> | undefined

/** Version information of this build. */
export const buildInfo = (): BuildInfo => ({
  ...(typeof buildStamp === 'undefined' ? {} : buildStamp),
  runtime: runtimeName(process.versions),
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
})

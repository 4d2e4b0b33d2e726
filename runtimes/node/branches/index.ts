/** Branches of the daemon (`--enable-branches`). */
import type { Platform } from '../../../core/platform.ts'
import type { HostPorts, OpenStores } from '../../../core/ports.ts'
import type { ApiServer, ServerOptions } from '../../../core/server.ts'
import { Branches, type BranchLimits } from './branches.ts'
import { getRequest } from './differences.ts'
import { HandedOn } from './handed-on.ts'
import { branchPaths } from './paths.ts'

export interface PreparedBranches {
  /** Of the live server: its own, and the paths of branches. */
  readonly options: ServerOptions
  /** Before the first request: what answers as the live server. */
  serve(answer: ApiServer['answer']): void
  close(): Promise<void>
}

/** The live server. */
export interface LiveServer {
  readonly platform: Platform
  readonly ports: HostPorts
  readonly options: ServerOptions
  /** Once they are open. */
  stores(): OpenStores | undefined
}

export function prepareBranches({ options, stores, ...live }: LiveServer, limits: BranchLimits): PreparedBranches {
  const handedOn = new HandedOn()
  // Requests are answered when the stores are open.
  const branches = new Branches({ ...live, options, limits, handedOn, stores: () => stores() as OpenStores })
  let answer: ApiServer['answer'] | undefined
  const paths = branchPaths(branches, async (path, user) => (answer as ApiServer['answer'])(getRequest(path), handedOn.connectionOf(user)))
  return {
    options: {
      ...options,
      // For what the differences of a branch compare with, as the user who asks.
      authenticators: [handedOn.authenticator, ...(options.authenticators ?? [])],
      pathHandlers: [...(options.pathHandlers ?? []), paths],
    },
    serve(live) {
      answer = live
    },
    close: () => branches.close(),
  }
}

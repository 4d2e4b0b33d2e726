/** Where a server's state is while the server does not run. */
import type { ForkableStore, ForkableStoreOptions, StoreSnapshot } from '../../stores/forkable.ts'
import type { Snapshot } from '../../testing/server.ts'
import type { Settings } from './hosted.ts'

/** What a server starts with. */
export interface Loaded {
  readonly from: Snapshot
  /** Opens the store; absent: in memory, from the snapshot. */
  readonly openStore?: (options: ForkableStoreOptions) => ForkableStore
  /** The state is that of a server of this release: what a new server writes is there. */
  readonly continues: boolean
  /** That server had no work left for controllers. */
  readonly settled?: boolean
}

/** The snapshots of a server by name. */
export interface Snapshots {
  names(): string[]
  get(name: string): Promise<Snapshot | undefined>
  set(name: string, snapshot: Snapshot): Promise<void>
}

export interface Home {
  readonly snapshots: Snapshots
  load(): Promise<Loaded>
  /** Replaces the state. The first time, this makes the server. `settled`: there is no work for controllers in it. */
  save(snapshot: Snapshot, settings: Settings, settled: boolean): Promise<void>
  /** The state, if it is in memory and the server does not run. */
  kept?(): Snapshot | undefined
  /** The state of a server that was loaded, if its own snapshots may not be kept. */
  present?(): StoreSnapshot
  /** Keeps what the server is, and how many milliseconds its clock is ahead of the host's. */
  describe?(settings: Settings, ahead: number): Promise<void>
  /** The server has ended in this state, which its store has. */
  ended(snapshot: Snapshot, settled: boolean): Promise<void>
  /** Removes the state. */
  remove(): Promise<void>
}

/** In memory: forks share what they have not changed. */
export function memoryHome(): Home {
  let kept: Snapshot | undefined
  const keep = async (snapshot: Snapshot | undefined) => {
    kept = snapshot
  }
  const snapshots = new Map<string, Snapshot>()
  return {
    snapshots: {
      names: () => [...snapshots.keys()].sort(),
      get: async (name) => snapshots.get(name),
      async set(name, snapshot) {
        snapshots.set(name, snapshot)
      },
    },
    async load() {
      if (kept === undefined) throw new Error('the server has no state')
      return { from: kept, continues: true }
    },
    save: keep,
    ended: keep,
    kept: () => kept,
    async remove() {
      kept = undefined
      snapshots.clear()
    },
  }
}

/**
 * Servers in a directory, which survive the end of the process: each has a folder with `server.json` and a write-ahead log, and one for its snapshots.
 * A folder without `server.json` is one that was being removed, and one with the suffix of drafts was being made.
 */
import { closeSync, existsSync, fsync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock, Logger } from '../../../core/ports.ts'
import { makeDirectories } from '../../atomic-file.ts'
import { journalOf } from '../../stores/durable.ts'
import { Engine } from '../../stores/engine.ts'
import { type ForkableStore, type ForkableStoreOptions, type StoreSnapshot, storeSnapshot } from '../../stores/forkable.ts'
import { createLog, createLogOn, type State } from '../../stores/log/create.ts'
import { nodeDirectory, unsyncedDirectory } from '../../stores/log/files.ts'
import { baseName } from '../../stores/log/names.ts'
import { type OpenLog, openLog } from '../../stores/log/open.ts'
import { type Owner, takeOwnership } from '../../stores/log/owner.ts'
import { keyValueStore } from '../../stores/mvcc.ts'
import type { Secrets } from '../../testing/secrets.ts'
import type { Snapshot } from '../../testing/server.ts'
import { readSnapshot, saveSnapshot } from '../../testing/snapshot-file.ts'
import type { Home, Loaded } from './home.ts'
import type { Settings } from './hosted.ts'
import { SharedBases } from './shared-bases.ts'

export interface DiskOptions {
  readonly clock: Clock
  readonly logger: Logger
  /** This release: the states of others are brought up to date when a server starts. */
  readonly release: string
}

/** What `server.json` has. */
interface Described {
  readonly format: 'apiserver-hosts/1'
  readonly release: string
  readonly settings: Settings
  readonly secrets: Secrets
  /** Milliseconds that the server's clock is ahead of the host's. */
  readonly ahead: number
  /** Number of the folder of its log. */
  readonly generation: number
  /** Revision at which controllers had no work left. */
  readonly settled?: number
}

/** Size at which a segment of a log ends: of many servers, each is small. */
const segmentBytes = 4 * 1024 * 1024

/** Suffix of the folder of a server that is being made: no name of a server has a dot. */
const draftSuffix = '.new'

/** Makes a file, or the names in a directory, durable. To open it through a promise would cost more than the rest. */
const sync = (path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const descriptor = openSync(path, 'r')
    fsync(descriptor, (error) => {
      closeSync(descriptor)
      if (error) reject(error)
      else resolve()
    })
  })

/** The entry of a value in a new log, whose keys are bytes. */
function* changesOf({ base: { versions }, attached }: StoreSnapshot) {
  const items = [...versions.list({ prefix: '' }).items].sort((a, b) => a.modRevision - b.modRevision)
  for (const { key, value, createRevision, modRevision: revision } of items)
    yield { key: Buffer.from(key).toString('latin1'), value, createRevision, revision, lease: attached.get(key) ?? 0n }
}

/** A server's folder. */
class DiskHome implements Home {
  readonly #path: string
  readonly #options: DiskOptions
  readonly #bases: SharedBases
  #described: Described | undefined
  #writing: Promise<void> = Promise.resolve()
  #open: (OpenLog & { isClosed: boolean; engine?: Engine }) | undefined
  /** The newest state that was asked for. */
  #presented: WeakRef<StoreSnapshot> | undefined

  constructor(path: string, options: DiskOptions, bases: SharedBases, described?: Described) {
    this.#path = path
    this.#options = options
    this.#bases = bases
    this.#described = described
  }

  readonly snapshots = {
    names: () => {
      const folder = join(this.#path, 'snapshots')
      const files = existsSync(folder) ? readdirSync(folder) : []
      return files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : [])).sort()
    },
    get: async (name: string) => {
      const path = this.#snapshotPath(name)
      return existsSync(path) ? await readSnapshot(path) : undefined
    },
    set: async (name: string, snapshot: Snapshot) => {
      makeDirectories(join(this.#path, 'snapshots'))
      await saveSnapshot(snapshot, this.#snapshotPath(name))
    },
  }

  async load(): Promise<Loaded> {
    const { secrets, ahead, release, settled } = this.#known()
    const { clock, logger } = this.#options
    const opened = { ...(await openLog(nodeDirectory(this.#logPath()), { clock, logger, segmentBytes })), isClosed: false }
    this.#open = opened
    const { history, leases, attached } = opened
    const continues = release === this.#options.release
    return {
      from: { store: { base: { versions: history, depth: 0 }, leases, attached }, ahead, secrets },
      continues,
      settled: continues && settled === history.revision,
      openStore: (options) => this.#openStore(options),
    }
  }

  present(): StoreSnapshot {
    const { history, engine, ...loaded } = this.#opened()
    const { leases, attached } = engine ? leasesOf(engine) : loaded
    const known = this.#presented?.deref()
    // Leases change without a revision.
    if (known?.base.versions.revision === history.revision && leases.length === 0 && known.leases.length === 0) return known
    const snapshot = storeSnapshot(history.revision, history.list({ prefix: '' }).items, { leases, attached })
    this.#presented = new WeakRef(snapshot)
    return snapshot
  }

  async save({ store, ahead, secrets }: Snapshot, settings: Settings, settled: boolean): Promise<void> {
    const before = this.#described
    const { revision } = store.base.versions
    const described: Described = {
      format: 'apiserver-hosts/1',
      release: this.#options.release,
      settings,
      secrets,
      ahead,
      generation: (before?.generation ?? 0) + 1,
      ...(settled && { settled: revision }),
    }
    const state = { revision, leases: store.leases, changes: changesOf(store), count: store.base.versions.count('') }
    // Leases are written with the time that they have left.
    const shared = store.leases.length === 0 ? store.base.versions : undefined
    if (before === undefined) return this.#make(described, state, shared)
    await this.#writeLog(this.#path, described, state, shared)
    await this.#write(described)
    await rm(this.#logPath(before.generation), { recursive: true, force: true })
  }

  /** The first state: the folder gets its name when everything in it is durable. */
  async #make(described: Described, state: State, shared: object | undefined): Promise<void> {
    const draft = `${this.#path}${draftSuffix}`
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { mode: 0o700 })
    const description = join(draft, 'server.json')
    writeFileSync(description, JSON.stringify(described), { mode: 0o600 })
    const [base] = await Promise.all([this.#writeLog(draft, described, state, shared), sync(description)])
    rmSync(this.#path, { recursive: true, force: true })
    await rename(draft, this.#path)
    await sync(dirname(this.#path))
    this.#described = described
    if (shared !== undefined) this.#bases.note(shared, this.#logPath(), base)
  }

  /** Writes a durable log in a folder; resolves to the id of its store. `shared`: what other logs with the same base have been made from. */
  async #writeLog(folder: string, { generation }: Described, state: State, shared: object | undefined): Promise<string> {
    const path = join(folder, `log-${generation}`)
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path, { mode: 0o700 })
    // Nothing counts before `server.json` is there, so that all files can be synced at the same time.
    const directory = unsyncedDirectory(nodeDirectory(path))
    const linked = shared && this.#bases.add(shared, path)
    if (linked !== undefined) await createLogOn(directory, { store: linked, revision: state.revision })
    const store = linked ?? (await createLog(directory, state))
    const written = readdirSync(path).filter((name) => linked === undefined || name !== baseName(1))
    await Promise.all([...written.map((name) => join(path, name)), path].map(sync))
    await sync(folder)
    return store
  }

  async describe(settings: Settings, ahead: number): Promise<void> {
    await this.#write({ ...this.#known(), settings, ahead })
  }

  async ended({ store }: Snapshot, isSettled: boolean): Promise<void> {
    await this.#close()
    const [known, settled] = [this.#known(), store.base.versions.revision]
    const { release } = this.#options
    if (isSettled && (known.settled !== settled || known.release !== release)) await this.#write({ ...known, release, settled })
  }

  async #close(): Promise<void> {
    const opened = this.#open
    this.#open = undefined
    if (opened === undefined || opened.isClosed) return
    await opened.log.close()
  }

  async remove(): Promise<void> {
    await this.#close()
    await rm(this.#descriptionPath(), { force: true })
    await sync(this.#path)
    await rm(this.#path, { recursive: true, force: true })
  }

  #openStore({ clock, changed, pastBytes }: ForkableStoreOptions): ForkableStore {
    const opened = this.#opened()
    const { log, history, leases, attached } = opened
    const journal = journalOf(log, async () => {
      opened.isClosed = true
    })
    const append = async (changes: Parameters<typeof journal.append>[0]) => {
      await journal.append(changes)
      changed?.(changes)
    }
    const engine = new Engine({
      clock,
      history,
      leases,
      attached,
      journal: { ...journal, append },
      ...(pastBytes !== undefined && { pastBytes }),
    })
    opened.engine = engine
    return { ...keyValueStore(engine), snapshot: () => this.present() }
  }

  /** Writes one description after the other. */
  #write(described: Described): Promise<void> {
    this.#described = described
    const write = async () => {
      const draft = `${this.#descriptionPath()}.new`
      await writeFile(draft, JSON.stringify(described), { mode: 0o600, flush: true })
      await rename(draft, this.#descriptionPath())
      await sync(this.#path)
    }
    this.#writing = this.#writing.then(write, write)
    return this.#writing
  }

  #known(): Described {
    if (this.#described === undefined) throw new Error(`${this.#path}: the server was not made`)
    return this.#described
  }

  #opened() {
    if (this.#open === undefined) throw new Error(`${this.#path}: the log is not open`)
    return this.#open
  }

  #descriptionPath = () => join(this.#path, 'server.json')
  #snapshotPath = (name: string) => join(this.#path, 'snapshots', `${name}.json`)
  #logPath = (generation = this.#known().generation) => join(this.#path, `log-${generation}`)
}

/** The leases of a store and their keys. */
function leasesOf({ leases, clock }: Engine): Pick<StoreSnapshot, 'leases' | 'attached'> {
  const ids = leases.ids()
  return {
    leases: ids.map((id) => ({ id, expires: clock.now() + (leases.times(id)?.remaining ?? 0) * 1000 })),
    attached: new Map(ids.flatMap((id) => leases.keys(id).map((key) => [key, id] as const))),
  }
}

export interface Disk {
  /** The servers that are there. */
  readonly servers: readonly { readonly settings: Settings; readonly home: Home }[]
  homeOf(name: string): Home
  close(): Promise<void>
}

/** Opens a directory of servers, which one process may do at a time. Rejects with an Error in one line. */
export async function openDisk(path: string, options: DiskOptions): Promise<Disk> {
  const folder = join(path, 'servers')
  makeDirectories(folder)
  const owner: Owner = await takeOwnership(path)
  const bases = new SharedBases()
  const homeOf = (name: string, described?: Described) => new DiskHome(join(folder, name), options, bases, described)
  const servers = readdirSync(folder).flatMap((name) => {
    const file = join(folder, name, 'server.json')
    if (name.endsWith(draftSuffix) || !existsSync(file)) {
      rmSync(join(folder, name), { recursive: true, force: true })
      return []
    }
    const described = JSON.parse(readFileSync(file, 'utf8')) as Described
    if (described.format !== 'apiserver-hosts/1') throw new Error(`${file}: is of another version of this program`)
    return [{ settings: described.settings, home: homeOf(name, described) }]
  })
  return { servers, homeOf: (name) => homeOf(name), close: () => owner.release() }
}

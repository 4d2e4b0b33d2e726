/** Bases of logs that several servers have: forks of one state share its file, which never changes, as hard links. */
import { linkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { nodeDirectory } from '../../stores/log/files.ts'
import { readHeader } from '../../stores/log/header.ts'
import { baseName } from '../../stores/log/names.ts'

const name = baseName(1)

interface Base {
  readonly path: string
  /** The random id that its header has. */
  readonly store: string
}

function storeIn(folder: string): string | undefined {
  const file = nodeDirectory(folder, true).open(name)
  try {
    const header = readHeader(file)
    return typeof header === 'string' ? undefined : header.store
  } finally {
    file.close()
  }
}

export class SharedBases {
  /** By the state that they hold. */
  readonly #bases = new WeakMap<object, Base>()

  /** Notes that the log in a folder, of the store with this id, starts with this state, and that its base is durable. */
  note(state: object, folder: string, store: string): void {
    this.#bases.set(state, { path: join(folder, name), store })
  }

  /**
   * Adds the base of a state to the folder of a new log and returns the id of its store. Undefined: it has to be written, because there is none any
   * more, it has as many links as a file may have, or the file system has no links.
   */
  add(state: object, folder: string): string | undefined {
    const base = this.#bases.get(state)
    if (base === undefined) return undefined
    try {
      linkSync(base.path, join(folder, name))
    } catch {
      return undefined
    }
    // Another server may have the path by now.
    if (storeIn(folder) === base.store) return base.store
    rmSync(join(folder, name))
    return undefined
  }
}

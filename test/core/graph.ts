/** Source files and their imports, read as text. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { root } from '../support/root.ts'

export interface Import {
  /** As in the source text. */
  readonly specifier: string
  /** True for imports of types only. */
  readonly typesOnly: boolean
}

export interface Source {
  /** Relative to the root of the checkout, such as `core/server.ts`. */
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
}

/** `import … from`, `export … from` and `import(…)`, over several lines. */
const statement = /^(?:import|export)\b(?<names>[^'"`;]*?)\bfrom\s+'(?<static>[^']+)'|\bimport\('(?<dynamic>[^']+)'\)/gm

function isTypesOnly(names: string): boolean {
  const text = names.trim()
  if (text.startsWith('type ')) return true
  if (!text.startsWith('{') || !text.endsWith('}')) return false
  const each = text.slice(1, -1).split(',')
  return each.map((name) => name.trim()).every((name) => name === '' || name.startsWith('type '))
}

/** All TypeScript files below the folders. */
export function sourcesBelow(...folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((name) => {
        const path = join(folder, name)
        const text = readFileSync(join(root, path), 'utf8')
        const imports = [...text.matchAll(statement)].map(({ groups }) => ({
          specifier: groups?.['static'] ?? groups?.['dynamic'] ?? '',
          // Dynamic imports close no cycle either.
          typesOnly: groups?.['dynamic'] !== undefined || isTypesOnly(groups?.['names'] ?? ''),
        }))
        return { path, text, imports }
      }),
  )
}

/** Path of a file imported by a relative specifier. */
export const targetOf = ({ path }: Source, specifier: string): string => normalize(join(path, '..', specifier))

/** Groups of files that import each other's values in a cycle (Tarjan's strongly connected components of more than one file). */
export function importCycles(sources: readonly Source[]): string[][] {
  const edges = new Map(
    sources.map((source) => [
      source.path,
      source.imports
        .filter(({ specifier, typesOnly }) => specifier.startsWith('.') && !typesOnly)
        .map(({ specifier }) => targetOf(source, specifier)),
    ]),
  )
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (path: string): number => {
    const own = order.size
    order.set(path, own)
    lowest.set(path, own)
    stack.push(path)
    for (const next of edges.get(path) ?? []) {
      if (!edges.has(next)) continue
      const reached = order.has(next) ? (stack.includes(next) ? (order.get(next) ?? own) : own) : visit(next)
      lowest.set(path, Math.min(lowest.get(path) ?? own, reached))
    }
    if (lowest.get(path) === own) {
      const component = stack.splice(stack.indexOf(path))
      if (component.length > 1) cycles.push(component)
    }
    return lowest.get(path) ?? own
  }
  for (const path of edges.keys()) if (!order.has(path)) visit(path)
  return cycles
}

/** Source files and their imports, read as text. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { root } from '../support/root.ts'

export interface Source {
  /** Relative to the root of the checkout, such as `core/server.ts`. */
  readonly path: string
  readonly text: string
  /** Specifiers of its imports, as in the text. */
  readonly imports: readonly string[]
}

/** `import … from`, `export … from` and `import(…)`, over several lines. */
const statement = /^(?:import|export)\b[^'"`;]*?\bfrom\s+'(?<static>[^']+)'|\bimport\('(?<dynamic>[^']+)'\)/gm

/** All TypeScript files below the folders. */
export function sourcesBelow(...folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((name) => {
        const path = join(folder, name)
        const text = readFileSync(join(root, path), 'utf8')
        const imports = [...text.matchAll(statement)].map(({ groups }) => groups?.['static'] ?? groups?.['dynamic'] ?? '')
        return { path, text, imports }
      }),
  )
}

/** Path of a file imported by a relative specifier. */
export const targetOf = ({ path }: Source, specifier: string): string => normalize(join(path, '..', specifier))

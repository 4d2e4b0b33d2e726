/** Who tries the pages, and what of them. */

/** A heading of a page: its files are written, its commands are run. */
export type Section = readonly [page: string, heading: string]

export interface Role {
  readonly name: string
  /** Programs that somebody in this role has, beside Node, npm, git, curl and openssl; Debian's packages. */
  readonly packages: readonly string[]
  /** Programs of this machine that Debian's releases have too old, or not at all. */
  readonly programs: readonly string[]
  readonly sections: readonly Section[]
}

const readme = 'README.md'
const guide = 'runtimes/testing/GUIDE.md'
const operations = 'runtimes/node/OPERATIONS.md'
const install: Section = [readme, 'Install']

const all = (page: string, ...headings: readonly string[]) => headings.map((heading): Section => [page, heading])

export const roles: readonly Role[] = [
  {
    name: 'typescript',
    packages: [],
    programs: [],
    sections: [
      install,
      ...all(guide, 'vitest', 'node:test', 'TypeScript', '@kubernetes/client-node'),
      ...all(guide, 'An operator', 'Leases', 'Faults', 'RBAC', 'Prepared state, and tests in parallel', 'Webhooks', 'In CI'),
    ],
  },
  { name: 'go', packages: [], programs: ['etcd', 'kubectl', 'go'], sections: [install, [guide, 'Go and envtest']] },
  {
    name: 'operator',
    packages: [],
    programs: ['kubectl'],
    sections: [
      [readme, 'Executable'],
      ...all(operations, 'Install', 'Configuration', 'Start with systemd', 'Users', 'Audit', 'Encryption at rest', 'Certificates and keys'),
      ...all(operations, 'What is read again', 'Backup and restore', 'Watch it'),
    ],
  },
  {
    name: 'python',
    packages: ['python3-kubernetes', 'python3-pytest'],
    programs: ['kubectl'],
    sections: [install, [guide, 'Shell, Python, and any other program']],
  },
  { name: 'edge', packages: [], programs: [], sections: [install, [readme, 'Runtimes'], ...all(guide, 'bun test', 'deno test')] },
]

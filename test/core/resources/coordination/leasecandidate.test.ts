import { allGates, startServer, tables } from '../support.ts'

const client = startServer({ gates: allGates })
const spec = { leaseName: 'component', binaryVersion: '1.36.0', emulationVersion: '1.36.0', strategy: 'OldestEmulationVersion' }
const name = (invalid: string) => `metadata.name: Invalid value: "${invalid}": `

for (const version of ['v1beta1', 'v1alpha2']) {
  const apiVersion = `coordination.k8s.io/${version}`
  tables(
    client,
    {
      path: `/apis/${apiVersion}/namespaces/default/leasecandidates`,
      manifest: { apiVersion, kind: 'LeaseCandidate', metadata: { name: 'c' }, spec },
    },
    {
      // Components are candidates under the name of their host and a random part.
      stored: [
        ['the identity of a component', { 'metadata.name': 'Host.example_4544cff4' }, { metadata: { name: 'Host.example_4544cff4' } }],
      ],
      refused: [
        [
          'another character',
          { 'metadata.name': 'a:b' },
          [
            `${name('a:b')}a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
          ],
        ],
        [
          'no version, which is less than any',
          { 'spec.binaryVersion': 'x' },
          ['must be a valid semantic version', 'must be greater than or equal to `emulationVersion`'].map(
            (why) => `spec.binaryVersion: Invalid value: "x": ${why}`,
          ),
        ],
        ['the parent directory', { 'metadata.name': '..a' }, [`${name('..a')}must not start with '..'`]],
      ],
    },
  )
}

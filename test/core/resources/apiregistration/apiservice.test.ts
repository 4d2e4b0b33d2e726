import { startServer, tables } from '../support.ts'

const client = startServer()
const apiVersion = 'apiregistration.k8s.io/v1'
const spec = {
  group: 'metrics.example.com',
  version: 'v1',
  groupPriorityMinimum: 100,
  versionPriority: 10,
  insecureSkipTLSVerify: true,
  service: { namespace: 'default', name: 'metrics' },
}

tables(
  client,
  {
    path: `/apis/${apiVersion}/apiservices`,
    fixedName: true,
    manifest: { apiVersion, kind: 'APIService', metadata: { name: 'v1.metrics.example.com' }, spec },
  },
  {
    stored: [['port', {}, { spec: { service: { port: 443 } } }]],
    refused: [
      [
        'other name',
        { 'metadata.name': 'v1.x' },
        ['metadata.name: Invalid value: "v1.x": must be `spec.version+"."+spec.group`: "v1.metrics.example.com"'],
      ],
      ['no priority', { 'spec.versionPriority': 0 }, ['spec.versionPriority: Invalid value: 0: must be positive and less than 1000']],
      [
        'insecure without a service',
        { 'spec.service': undefined },
        ['spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify'],
      ],
      ['nameless service', { 'spec.service.name': undefined }, ['spec.service.name: Required value']],
    ],
  },
)

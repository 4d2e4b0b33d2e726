/** Objects sent by the suites. */
const labels = { app: 'web' }
const container = { name: 'web', image: 'nginx' }

/** Mounts no service account token, so that the containers stay as sent. */
export const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, ...metadata },
  spec: { automountServiceAccountToken: false, containers: [container], ...spec },
})

export const deployment = (name: string, spec: object = {}) => ({
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name, labels },
  spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } }, ...spec },
})

interface Version {
  readonly name: string
  readonly schema?: object
  readonly subresources?: object
}

const open = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }

/** A custom resource as YAML: Widget of example.com in these versions, the first of which is stored. Their schema: by default anything. */
export const widgetsIn = (...versions: readonly Version[]) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions: ${JSON.stringify(versions.map((version, index) => ({ served: true, storage: index === 0, schema: open, ...version })))}
`

import type { AdmissionAttributes } from './attributes.ts'

type About = Pick<AdmissionAttributes, 'resource' | 'namespace' | 'name'>

/** Whether the request is about a namespace itself, or a subresource of it. */
export const isNamespace = ({ resource: { group, resource } }: Pick<About, 'resource'>) => group === '' && resource === 'namespaces'

/** The namespace of a request as webhooks and policies know it: that of a namespace is itself. */
export const namespaceOf = (attributes: About) => (isNamespace(attributes) ? attributes.name : attributes.namespace)

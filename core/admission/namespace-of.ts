import type { AdmissionAttributes } from './attributes.ts'

type About = Pick<AdmissionAttributes, 'resource' | 'namespace' | 'name'>

/** Whether the request is for a namespace object or its subresource. */
export const isNamespace = ({ resource: { group, resource } }: Pick<About, 'resource'>) => group === '' && resource === 'namespaces'

/** The namespace of a request for webhooks and policies: for a namespace object, its own name. */
export const namespaceOf = (attributes: About) => (isNamespace(attributes) ? attributes.name : attributes.namespace)

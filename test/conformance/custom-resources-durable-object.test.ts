import { without } from '../support/runtimes.ts'
import { customResources } from './custom-resources.ts'
import { startEdge } from './edge.ts'

customResources('custom resources in-process on DurableObject', () => startEdge(), { skip: without('workerd') })

import type { Pauses } from '../../common/slices.ts'
import type { Exchange } from '../../request/exchange.ts'
import type { Negotiated, Negotiator } from '../../request/negotiate.ts'
import type { ApiObject, ResourceDefinition } from '../../resources/definition.ts'
import { BufferPool } from '../../schema/bytes.ts'
import type { Cluster } from '../../schema/cluster.ts'
import type { Message } from '../../schema/model.ts'
import { ProtobufEncoder } from '../../schema/protobuf/protobuf.ts'
import { ListBudget } from './list-body.ts'
import type { Renderer } from './render.ts'
import { WatchEncoders } from './respond-watch.ts'

/** For the bytes of responses. */
export interface AnswerServices extends Cluster {
  readonly negotiator: Negotiator
  readonly pauses: Pauses
  readonly protobuf: ProtobufEncoder
  /** Joins the bytes of an object that is read at once. */
  readonly buffers: BufferPool
  readonly listBudget: ListBudget
  readonly watchEncoders: WatchEncoders
  /** Of compact JSON, as most responses are: negotiation has the same result for most. */
  readonly jsonRenderers: WeakMap<ResourceDefinition, Renderer>
}

export const createAnswerServices = (given: Cluster & Pick<AnswerServices, 'negotiator' | 'pauses'>): AnswerServices => ({
  ...given,
  protobuf: new ProtobufEncoder(),
  buffers: new BufferPool(),
  listBudget: new ListBudget(),
  watchEncoders: new WatchEncoders(),
  jsonRenderers: new WeakMap(),
})

/** How clients see stored objects. */
export interface ReadView {
  /** Kind of what clients see. */
  readonly body: { readonly schema: Message }
  /** False: responses can't be a Table. Default true. */
  readonly tables?: boolean
  /** Table columns of what `read` returns; absent: the default ones. */
  readonly columns?: ResourceDefinition['columns']
  /** Projects the stored object to what clients see; absent: the object itself. */
  read?(parent: ApiObject): ApiObject
}

/** The request that is answered. */
export interface Answered {
  readonly exchange: Exchange
  readonly resource: { readonly definition: ResourceDefinition }
  readonly view: ReadView
  /** The representation of the response, which was negotiated before; absent: not yet. */
  readonly negotiated?: Negotiated | undefined
}

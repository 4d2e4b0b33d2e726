/** Messages of API objects: kind, apiVersion and metadata. */
import { type Fields, field, type Message, type MessageOptions, message } from '../../schema/model.ts'
import { ObjectMeta } from './objectmeta.ts'

const metadata = field(1, ObjectMeta, "Standard object's metadata: name, labels and what else every object carries.")

type WithMetadata<F extends Fields> = { readonly metadata: typeof metadata } & F

/** The fields of most objects: what is wanted, and what was last observed of it. */
export const specAndStatus = <Spec extends Message, Status extends Message>(spec: Spec, status: Status) => ({
  spec: field(2, spec, 'Desired state.'),
  status: field(3, status, 'Last observed state; written by controllers through the status subresource.'),
})

/** A message with metadata as tag 1, and the given fields. */
export function object<const F extends Fields>(
  name: string,
  doc: string,
  fields: F | (() => F),
  options: Omit<MessageOptions<WithMetadata<F>>, 'typeMeta'> = {},
): Message<WithMetadata<F>> {
  const all = () => ({ metadata, ...(typeof fields === 'function' ? fields() : fields) }) as WithMetadata<F>
  return message(name, doc, all).with({ ...options, typeMeta: true })
}

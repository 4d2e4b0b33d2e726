import { message as declare, type Fields, type Message, type MessageOptions } from '../../schema/model.ts'

/** A message of the Go package v2, which decoding errors name. */
export function message<const F extends Fields>(name: string, doc: string, fields: F, options: MessageOptions<F> = {}): Message<F> {
  return declare(name, doc, fields, { ...options, goPackage: 'v2' })
}

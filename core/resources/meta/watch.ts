import { any, message, required, string } from '../../schema/model.ts'

export const WatchEvent = message('WatchEvent', 'One message of a watch.', () => ({
  type: required(1, string, 'ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.'),
  object: required(2, any, 'The object after the change; before it for DELETED, a Status for ERROR.'),
}))

import { atomicList, field, list, map, message, string } from '../../schema/model.ts'

export const ExtraValue = list(string, { wrapper: true, goType: 'v1.ExtraValue' })

export const UserInfo = message('UserInfo', 'A user as authentication found it.', () => ({
  username: field(1, string, 'Name of the user, unique among present users.'),
  uid: field(2, string, 'Unique identifier, which distinguishes users with the same name over time.'),
  groups: field(3, atomicList(string), 'Groups of the user.'),
  extra: field(4, map(ExtraValue), 'Further facts, by key.'),
}))

package words

// English and Chinese are the sentences by their keys.
var English, Chinese = english, chinese

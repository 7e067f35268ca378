from .answer import Answer as Answer
from .generations import Folder as Folder
from .oracle import Oracle as Oracle
from .reader import Found as Found, Reader as Reader
